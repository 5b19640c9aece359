package server

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
)

// onePacket is the number of bytes that fit into one packet: compressing fewer gains nothing.
const onePacket = 1400

// writeCompressed writes a body, compressed if the client reads that. It is for bodies without secrets: with one next
// to a text of somebody else, the compressed length tells of the secret.
func writeCompressed(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	w.Header().Set("Vary", "Accept-Encoding")
	if acceptsGzip(r) {
		if packed, ok := compressed(body, gzip.DefaultCompression); ok {
			w.Header().Set("Content-Encoding", "gzip")
			body = packed
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the reader has gone
}

// compressed returns a body compressed with gzip at a level, and false if that gains nothing.
func compressed(body []byte, level int) ([]byte, bool) {
	if len(body) <= onePacket {
		return nil, false
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, level)
	if err != nil {
		return nil, false
	}
	if _, err := z.Write(body); err != nil {
		return nil, false
	}
	if err := z.Close(); err != nil || packed.Len() >= len(body) {
		return nil, false
	}
	return packed.Bytes(), true
}

// acceptsGzip reports whether a client reads gzip; it may say so with a weight.
func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(part, " ", ""), ";")
		if strings.EqualFold(name, "gzip") {
			return weight != "q=0"
		}
	}
	return false
}
