package stacktest

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// FreeAddress returns an address that nobody listens on. Its port is below those
// that systems give to outgoing connections, one of which could otherwise take
// it before the program listens.
func FreeAddress(t *testing.T) string {
	t.Helper()
	const lowest, highest = 12_000, 32_000
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", lowest+rand.IntN(highest-lowest))
		if l, err := net.Listen("tcp", address); err == nil {
			require.NoError(t, l.Close())
			return address
		}
	}
	require.FailNow(t, "no free port")
	return ""
}

// Output collects what a process says.
type Output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write adds to it.
func (b *Output) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// All is everything that has been said.
func (b *Output) All() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.buf.Bytes())
}

// String is the end of it, for a person.
func (b *Output) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var last []string
	for lines := bufio.NewScanner(bytes.NewReader(b.buf.Bytes())); lines.Scan(); {
		if last = append(last, lines.Text()); len(last) > 60 {
			last = last[1:]
		}
	}
	return fmt.Sprintln(strings.Join(last, "\n"))
}
