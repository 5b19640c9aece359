// Package live records the events that the hooks of an agent send while it works.
//
// Each call of a hook is one event, stored in one transaction; an event that was recorded before changes nothing. When
// a thread stops, its events become an execution, which is scored; more of its events, whenever they come and in
// whatever order, make the same execution again. It is open until the next prompt, or the end of the session, makes it
// final. The events of a final execution are removed ten minutes later.
//
// The transcript of the session has what no payload has: exit statuses, tokens, the model. If the transcript contains
// the execution, the execution gets the key that an import of the transcript uses, so that the import adds nothing.
package live
