// Package lineages answers questions about lineages, mutations and versions, and changes them: it proposes, decides,
// rolls back and replays.
package lineages
