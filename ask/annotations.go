package ask

import (
	"track/access"
	"track/answer"
	"track/tracker/seeds"
)

// AddNote asks to attach a note to a configuration.
func AddNote() Def[answer.AddNoteQuestion, answer.NoteChange] {
	return Def[answer.AddNoteQuestion, answer.NoteChange]{
		Name: "note add", Scope: access.Record, Help: "attach a note to a configuration",
		About:  "The note is recorded with who wrote it and when. Recognized secrets in it are masked. History, comparisons and reports show it.",
		Params: (*answer.AddNoteQuestion).Params, Write: seeds.AddNote,
	}
}

// RemoveNote asks to remove a note.
func RemoveNote() Def[answer.RemoveNoteQuestion, answer.NoteChange] {
	return Def[answer.RemoveNoteQuestion, answer.NoteChange]{
		Name: "note remove", Scope: access.Record, Help: "remove a note from a configuration",
		About:  "The note is not shown any more. It stays recorded, with who removed it, when and why.",
		Params: (*answer.RemoveNoteQuestion).Params, Write: seeds.RemoveNote,
	}
}

// Notes asks for the notes on configurations.
func Notes() Def[answer.NotesQuestion, answer.Notes] {
	return Def[answer.NotesQuestion, answer.Notes]{
		Name: "note list", Scope: access.Read, Help: "list the notes on configurations",
		About:  "The oldest comes first.",
		Params: (*answer.NotesQuestion).Params, Read: seeds.ListNotes,
	}
}

// AddTags asks to add tags to a configuration.
func AddTags() Def[answer.TagQuestion, answer.TagChange] {
	return Def[answer.TagQuestion, answer.TagChange]{
		Name: "tag add", Scope: access.Record, Help: "add tags to a configuration",
		About:  "A tag is a name, and is no part of the identity of the configuration. Adding a tag again changes nothing.",
		Params: (*answer.TagQuestion).AddParams, Write: seeds.AddTags,
	}
}

// RemoveTags asks to remove tags from a configuration.
func RemoveTags() Def[answer.TagQuestion, answer.TagChange] {
	return Def[answer.TagQuestion, answer.TagChange]{
		Name: "tag remove", Scope: access.Record, Help: "remove tags from a configuration",
		Params: (*answer.TagQuestion).RemoveParams, Write: seeds.RemoveTags,
	}
}

// Tags asks for the tags of configurations.
func Tags() Def[answer.TagsQuestion, answer.Tags] {
	return Def[answer.TagsQuestion, answer.Tags]{
		Name: "tag list", Scope: access.Read, Help: "list configurations with their tags",
		Params: (*answer.TagsQuestion).Params, Read: seeds.ListTags,
	}
}
