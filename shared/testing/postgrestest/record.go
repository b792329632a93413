package postgrestest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// recordEnv names the folder to which tests write the statements that they send, a file a
// program. Unless it is set, nothing is recorded.
const recordEnv = "POSTGRES_STATEMENTS"

// Statement is a statement as a program sent it.
type Statement struct {
	Role string `json:"role"`
	// Types are the OIDs of the parameters' types; 0 leaves a type to Postgres.
	Types []uint32 `json:"types,omitempty"`
	SQL   string   `json:"sql"`
}

// recorder writes each statement once.
type recorder struct {
	mu   sync.Mutex
	seen map[string]bool
	file *os.File
}

var newRecorder = sync.OnceValues(func() (*recorder, error) {
	dir, wanted := os.LookupEnv(recordEnv)
	if !wanted {
		return nil, nil
	}
	file, err := os.CreateTemp(dir, filepath.Base(os.Args[0])+"-*.json")
	return &recorder{seen: make(map[string]bool), file: file}, err
})

func (r *recorder) add(s Statement) error {
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[string(line)] {
		return nil
	}
	r.seen[string(line)] = true
	_, err = r.file.Write(append(line, '\n'))
	return err
}

// recorded returns an address that leads to the same server, through what records the
// statements. Where nothing is recorded, it is the same address.
func recorded(t testing.TB, address string) string {
	t.Helper()
	r, err := newRecorder()
	require.NoError(t, err)
	if r == nil {
		return address
	}
	u, err := url.Parse(address)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	server, role := u.Host, u.User.Username()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go r.forward(client, server, role)
		}
	}()
	u.Host = listener.Addr().String()
	return u.String()
}

// forward copies both directions of a connection until one ends.
func (r *recorder) forward(client net.Conn, server, role string) {
	defer client.Close()
	upstream, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer upstream.Close()
	go func() {
		_, _ = io.Copy(client, upstream)
		_ = client.Close()
	}()
	_ = r.copyMessages(upstream, client, role)
}

// copyMessages copies what a client sends: a startup message, or a request to cancel, whose
// length comes first, and then messages with a byte for their kind before it.
func (r *recorder) copyMessages(to io.Writer, from io.Reader, role string) error {
	started := false
	for {
		header := make([]byte, 4, 5)
		if started {
			header = header[:5]
		}
		if _, err := io.ReadFull(from, header); err != nil {
			return err
		}
		length := binary.BigEndian.Uint32(header[len(header)-4:])
		if length < 4 || length > 1<<30 {
			return errors.New("not a message of Postgres's protocol")
		}
		body := make([]byte, length-4)
		if _, err := io.ReadFull(from, body); err != nil {
			return err
		}
		if started && header[0] == 'P' {
			if err := r.add(parsed(body, role)); err != nil {
				return err
			}
		}
		started = true
		if _, err := to.Write(append(header, body...)); err != nil {
			return err
		}
	}
}

// parsed reads a Parse message: a name, the statement, and the types of parameters.
func parsed(body []byte, role string) Statement {
	_, body, _ = bytes.Cut(body, []byte{0})
	sql, body, _ := bytes.Cut(body, []byte{0})
	s := Statement{Role: role, SQL: string(sql)}
	for body = body[2:]; len(body) >= 4; body = body[4:] {
		s.Types = append(s.Types, binary.BigEndian.Uint32(body))
	}
	return s
}
