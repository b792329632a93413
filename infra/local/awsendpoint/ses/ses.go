// Package ses implements SES's SendEmail: messages become files in a folder, which any mail
// program can open. The rest of SES is rejected with an error that names the operation.
//
// Source: https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
//
// Tested by infra/tests/conformance: sending by AWS's SDK.
package ses

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

// Prefix is the path prefix of SES's API.
const Prefix = "/v2/email/"

// sendPath is the path of SendEmail.
const sendPath = Prefix + "outbound-emails"

// maxMessage exceeds the size of a text message, in bytes.
const maxMessage = 1 << 20

// Refused is a domain to which mail is rejected, like SES's own suppressed test address.
const Refused = "@suppressed.example"

// message contains the supported part of SendEmail's input.
type message struct {
	FromEmailAddress string
	Destination      struct{ ToAddresses []string }
	Content          struct {
		Simple struct {
			Subject content
			Body    struct{ Text content }
			Headers []struct{ Name, Value string }
		}
	}
}

type content struct{ Data, Charset string }

// Handler serves requests under Prefix, and writes messages to a folder.
func Handler(folder string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+sendPath, func(w http.ResponseWriter, r *http.Request) {
		id, err := sendEmail(folder, http.MaxBytesReader(w, r.Body, maxMessage))
		if err != nil {
			writeRefusal(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{"MessageId": id}) // fails only if the caller has disconnected
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeRefusal(w, awsjson.Unsupported("SES", r.Method+" "+r.URL.Path))
	})
	return mux
}

func sendEmail(folder string, body interface{ Read([]byte) (int, error) }) (id string, err error) {
	var m message
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return "", awsjson.Errorf("BadRequestException", "the message cannot be read: %v", err)
	}
	simple := m.Content.Simple
	if m.FromEmailAddress == "" || len(m.Destination.ToAddresses) != 1 || simple.Body.Text.Data == "" {
		return "", awsjson.Errorf("BadRequestException", "a message must have a sender, one recipient and a text")
	}
	to := m.Destination.ToAddresses[0]
	if strings.HasSuffix(to, Refused) {
		return "", awsjson.Errorf("MessageRejected", "Email address is on the suppression list: %s", to)
	}
	id = uuid.NewString()
	text := composeMessage(id, &m)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	// Readers of the folder see only complete messages.
	part := filepath.Join(folder, "."+id)
	if err := os.WriteFile(part, []byte(text), 0o600); err != nil {
		return "", err
	}
	name := time.Now().UTC().Format("20060102T150405.000") + "-" + id + ".eml"
	return id, os.Rename(part, filepath.Join(folder, name))
}

// writeRefusal writes an error in the format of SES.
func writeRefusal(w http.ResponseWriter, err error) {
	var fault *awsjson.Error
	status := http.StatusBadRequest
	if !errors.As(err, &fault) {
		fault, status = awsjson.Errorf("InternalServiceErrorException", "%v", err), http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Amzn-ErrorType", fault.Code)
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"message":%q}`, fault.Message)
}
