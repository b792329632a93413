package intercept

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
)

// Messages of Postgres's protocol that are parsed: a byte, a length that
// includes itself, and a body. https://www.postgresql.org/docs/current/protocol-message-formats.html
const (
	queryMessage = 'Q' // frontend: SQL text
	parseMessage = 'P' // frontend: name and text of a prepared statement
	bindMessage  = 'B' // frontend: name of a portal, name of its statement
	readyMessage = 'Z' // backend
)

// connection is a connection of a function to the database.
type connection struct {
	Process
	interceptor *Interceptor
	function    net.Conn
	database    net.Conn
	prepared    map[string]string // SQL texts by name
	earlier     strings.Builder
	onReady     atomic.Pointer[func()] // called when the database is ready again
	once        sync.Once
}

func (c *connection) close() {
	c.once.Do(func() {
		_ = c.function.Close()
		_ = c.database.Close()
	})
}

func (b *Interceptor) acceptConnections(l net.Listener) {
	for {
		function, err := l.Accept()
		if err != nil {
			return // closed
		}
		go b.serveConnection(function)
	}
}

// serveConnection forwards one connection until either side closes it.
func (b *Interceptor) serveConnection(function net.Conn) {
	c := &connection{interceptor: b, function: function, prepared: map[string]string{}}
	startup, err := readStartup(function)
	if err == nil {
		c.database, err = net.Dial("tcp", b.identifyConnection(c, startup))
	}
	if err != nil {
		_ = function.Close()
		return
	}
	defer c.close()
	if _, err := c.database.Write(startup); err != nil {
		return
	}
	go func() {
		defer c.close()
		c.forwardResponses()
	}()
	c.forwardStatements()
}

// readStartup reads the first message of a connection, which has no type.
func readStartup(r io.Reader) ([]byte, error) {
	message := make([]byte, 4)
	if _, err := io.ReadFull(r, message); err != nil {
		return nil, err
	}
	rest := make([]byte, binary.BigEndian.Uint32(message)-4)
	_, err := io.ReadFull(r, rest)
	return append(message, rest...), err
}

// identifyConnection determines which function connects, and to which server. A cancel request
// contains neither: it goes to the server of the other connections.
func (b *Interceptor) identifyConnection(c *connection, startup []byte) string {
	if _, after, named := bytes.Cut(startup, []byte("application_name\x00")); named {
		name, _, _ := bytes.Cut(after, []byte{0})
		if process, server, err := parseProcess(string(name)); err == nil {
			c.Process = process
			b.database.Store(&server)
			return server
		}
	}
	if server := b.database.Load(); server != nil {
		return *server
	}
	return ""
}

// readMessage reads a message including its header.
func readMessage(r io.Reader) ([]byte, error) {
	message := make([]byte, 5)
	if _, err := io.ReadFull(r, message); err != nil {
		return nil, err
	}
	rest := make([]byte, binary.BigEndian.Uint32(message[1:])-4)
	_, err := io.ReadFull(r, rest)
	return append(message, rest...), err
}

// forwardStatements forwards the function's messages.
func (c *connection) forwardStatements() {
	for {
		message, err := readMessage(c.function)
		if err != nil {
			return
		}
		if sql, is := c.statement(message); is {
			c.callHook(sql)
		}
		if _, err := c.database.Write(message); err != nil {
			return
		}
	}
}

// statement returns the text of the statement that the message runs.
func (c *connection) statement(message []byte) (sql string, is bool) {
	texts := strings.SplitN(string(message[5:]), "\x00", 3)
	switch message[0] {
	case queryMessage:
		return texts[0], true
	case parseMessage:
		c.prepared[texts[0]] = texts[1]
	case bindMessage:
		return c.prepared[texts[1]], true
	}
	return "", false
}

func (c *connection) callHook(sql string) {
	if strings.HasPrefix(strings.ToLower(sql), "begin") {
		c.earlier.Reset()
	}
	if hook := c.interceptor.sql.Load(); hook != nil {
		done := (*hook)(&Statement{Process: c.Process, SQL: sql, Earlier: c.earlier.String(), connection: c})
		if done != nil {
			c.onReady.Store(&done)
		}
	}
	c.earlier.WriteString(sql + "\n")
}

// forwardResponses forwards the database's messages.
func (c *connection) forwardResponses() {
	for {
		message, err := readMessage(c.database)
		if err != nil {
			return
		}
		if message[0] == readyMessage {
			if done := c.onReady.Swap(nil); done != nil {
				(*done)()
			}
		}
		if _, err := c.function.Write(message); err != nil {
			return
		}
	}
}
