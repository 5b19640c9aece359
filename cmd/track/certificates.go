package main

import (
	"crypto/tls"
	"os"
	"sync"
	"time"
)

// certificates are the certificates of a server, read again when their file changes.
type certificates struct {
	certificate, key string

	mu     sync.Mutex
	loaded tls.Certificate
	at     time.Time // when the file was changed that was loaded
}

func newCertificates(certificate, key string) (*certificates, error) {
	c := &certificates{certificate: certificate, key: key}
	_, err := c.get(nil)
	return c, err
}

// get returns the certificate. If the files cannot be read anew, as halfway through their renewal, the one that was
// loaded stays.
func (c *certificates) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	info, err := os.Stat(c.certificate)
	if err == nil && !info.ModTime().Equal(c.at) {
		var loaded tls.Certificate
		if loaded, err = tls.LoadX509KeyPair(c.certificate, c.key); err == nil {
			c.loaded, c.at = loaded, info.ModTime()
		}
	}
	if c.at.IsZero() {
		return nil, err
	}
	loaded := c.loaded
	return &loaded, nil
}
