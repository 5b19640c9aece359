package document

// What the tests in document_test see besides the exported names.

const NoteImportant = noteImportant
