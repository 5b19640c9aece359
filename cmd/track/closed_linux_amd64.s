#include "textflag.h"

// entry is where the program begins if the linker is told so, with -E main.entry. It asks for the flags of standard
// output, fcntl(1, F_GETFD), and goes on to where Go programs begin.
TEXT ·entry(SB),NOSPLIT|NOFRAME,$0
	MOVQ	$72, AX
	MOVQ	$1, DI
	MOVQ	$1, SI
	SYSCALL
	MOVQ	AX, ·outputAtEntry(SB)
	JMP	_rt0_amd64_linux(SB)
