package ses

import (
	"fmt"
	"mime"
	"mime/quotedprintable"
	"strings"
	"time"
)

// composeMessage formats the message according to RFC 5322.
func composeMessage(id string, m *message) string {
	var out strings.Builder
	simple := m.Content.Simple
	for _, h := range [][2]string{
		{"From", m.FromEmailAddress}, {"To", m.Destination.ToAddresses[0]}, {"Subject", mime.QEncoding.Encode("utf-8", simple.Subject.Data)},
		{"Date", time.Now().UTC().Format(time.RFC1123Z)}, {"Message-ID", "<" + id + "@loadbay.local>"}, {"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"}, {"Content-Transfer-Encoding", "quoted-printable"},
	} {
		fmt.Fprintf(&out, "%s: %s\r\n", h[0], h[1])
	}
	for _, h := range simple.Headers {
		fmt.Fprintf(&out, "%s: %s\r\n", h.Name, h.Value)
	}
	out.WriteString("\r\n")
	body := quotedprintable.NewWriter(&out)
	_, _ = body.Write([]byte(simple.Body.Text.Data)) // writing to memory does not fail
	_ = body.Close()
	return out.String()
}
