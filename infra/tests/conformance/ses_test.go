package conformance

import (
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/ses"
	loadbay "github.com/loadbay/loadbay/shared/aws/mail"
	"github.com/loadbay/loadbay/shared/job"
)

// A message is written as a file that mail programs can read, in any script.
func TestEmailIsWrittenToFolder(t *testing.T) {
	t.Parallel()
	skipUnlessLocal(t)
	folder := filepath.Join(t.TempDir(), "mailbox")
	config := clientConfig(startEndpoint(t, awsendpoint.Config{Mail: ses.Handler(folder)}))
	sender := loadbay.Open(config, loadbay.Settings{From: "loadbay@example.org"})
	const subject, text = "Größen für July.csv ✓\r\nBcc: x@example.org", "Zeile 1 – ünïcode\r\n.\r\nlast\r\n"
	require.NoError(t, sender.Send(t.Context(), "ada@example.org", subject, text))

	found, err := filepath.Glob(filepath.Join(folder, "*.eml"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	file, err := os.Open(found[0])
	require.NoError(t, err)
	defer file.Close()
	m, err := mail.ReadMessage(file)
	require.NoError(t, err)
	require.Equal(t, "ada@example.org", m.Header.Get("To"))
	require.Equal(t, "loadbay@example.org", m.Header.Get("From"))
	require.Equal(t, "auto-generated", m.Header.Get("Auto-Submitted"))
	require.Empty(t, m.Header.Get("Bcc"), "a line break in the subject adds no header")
	decoded, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	require.NoError(t, err)
	require.Equal(t, subject, decoded)
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	require.NoError(t, err)
	require.Equal(t, text, string(body))
}

func TestRejectedEmailIsPermanent(t *testing.T) {
	t.Parallel()
	skipUnlessLocal(t)
	config := clientConfig(startEndpoint(t, awsendpoint.Config{Mail: ses.Handler(t.TempDir())}))
	sender := loadbay.Open(config, loadbay.Settings{From: "loadbay@example.org"})
	require.ErrorIs(t, sender.Send(t.Context(), "ada"+ses.Refused, "s", "t"), job.ErrMailRefused)
	require.ErrorIs(t, loadbay.Open(config, loadbay.Settings{}).Send(t.Context(), "ada@example.org", "s", "t"), job.ErrMailRefused)

	_, err := sesv2.NewFromConfig(config).CreateContactList(t.Context(), &sesv2.CreateContactListInput{ContactListName: aws.String("list")})
	var fault smithy.APIError
	require.ErrorAs(t, err, &fault)
	require.Contains(t, fault.ErrorMessage(), "does not implement", "the error names the unsupported operation")
}
