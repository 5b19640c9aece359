// Package pickle reads Python's pickles as plain data, without running any of it.
//
// A pickle is a program for a small stack machine (Lib/pickletools.py of Python describes it). Python runs calls that
// stand in it; this reader does not: a class or a function stays a name, with what it would be called with, and is not
// looked up. Only scalars of numpy are understood, since they are numbers.
//
//	None, True, 7, 2.5  nil, bool, int64, float64; an integer beyond 64 bits is a *big.Int
//	"text", b"bytes"    string, []byte
//	[…], (…)            *List, Tuple
//	{…}, {…,…}          *Dict, a set
//	np.float64(2.5)     float64; also the other sizes, integers and np.bool_
//	anything else       something opaque
//
// Protocols 0 to 5 are read. Persistent ids, extension codes and buffers outside the pickle name things that do not
// stand in it, and are errors.
package pickle
