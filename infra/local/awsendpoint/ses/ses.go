// Package ses is SES's SendEmail on the wire: messages become files of a folder, which
// any mail program opens. All else of SES is refused by name.
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

// Prefix begins the paths of SES's API.
const Prefix = "/v2/email/"

// SendPath is where SendEmail lives.
const SendPath = Prefix + "outbound-emails"

// maxMessage is more than a message of text has.
const maxMessage = 1 << 20

// Refused is the domain to which no mail is sent: SES's own for tests suppresses it, too.
const Refused = "@suppressed.example"

// message is the part of SendEmail's input that is understood.
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

// Handler serves requests under Prefix, and puts messages into a folder.
func Handler(folder string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+SendPath, func(w http.ResponseWriter, r *http.Request) {
		id, err := sendEmail(folder, http.MaxBytesReader(w, r.Body, maxMessage))
		if err != nil {
			writeRefusal(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{"MessageId": id}) // fails only if the caller has gone
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
		return "", awsjson.Errorf("BadRequestException", "a message has a sender, one receiver and a text here")
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
	// Whoever looks at the folder finds whole messages only.
	part := filepath.Join(folder, "."+id)
	if err := os.WriteFile(part, []byte(text), 0o600); err != nil {
		return "", err
	}
	name := time.Now().UTC().Format("20060102T150405.000") + "-" + id + ".eml"
	return id, os.Rename(part, filepath.Join(folder, name))
}

// writeRefusal responds as SES does.
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
