// Package provenance finds out where a recorded seed came from: the revision of the code in a folder, the machine,
// and the version of this program. The notice of an [Origin] says what is unknown, why, and what helps.
//
// # The revision
//
// [Find] runs one `git status`. It takes no lock, starts no daemon, and leaves the repository as it was. The diff hash
// tells different edits of one commit apart. Masking the changed files takes about 50 ms for each MiB.
//
// If git is missing, fails or takes longer than 30 s, or if a changed file cannot be read, the state of the code is
// unknown. The revision then has a mark that no other one has, and the commit if `git rev-parse` still gives it. Outside
// of a git repository the revision is empty.
//
// Untracked files do not count: a results file written by the run would otherwise make every seed another revision.
// For the same reason a file that runs write should not be tracked. Nor do files count that git was told to overlook
// (skip-worktree, assume-unchanged).
//
// GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE and their like are ignored. Git sets them for its hooks and for commands it
// runs, and they name the repository that git is busy with; the question here is which code lies in a folder.
//
// # The diff hash
//
// The lowercase hex SHA-256 of the following, in which a text is its length in bytes as an unsigned 64-bit big-endian
// number, then its bytes; and a number is such a number:
//
//	text    "track diff 1"
//	number  of changed tracked paths, counting the old and the new name of a rename;
//	        then for each, sorted by the bytes of its path:
//	text    path from the root of the work tree, elements separated by '/'
//	text    mode as git writes it: "100644", "100755", "120000" a link, "160000" a submodule,
//	        "000000" missing or not tracked
//	text    content: the bytes of a file on disk, masked in parts of about 1 MiB that end with a line, the target of a link,
//	        the commit of a submodule, nothing for a missing file;
//	        for a submodule also the number of its own changes, and each of them in the same way
//
// It is about the files as they are, so staging an edit does not change it. Bytes are taken as they are on disk: if
// git converts line endings, the same edit has another hash on another system.
//
// # The hash of files
//
// [FindFiles] finds the files that runs depend on, and [Files.Hash] identifies those that the commit does not hold: the
// lowercase hex SHA-256 of the following, with texts as above:
//
//	text  "track files 1"
//	      then for each, sorted by its name and its sum:
//	text  path from the working directory, elements separated by '/'; for a file elsewhere its last element
//	text  the 32 bytes of the SHA-256 of its content, which is masked if it is text of at most 4 MiB
package provenance
