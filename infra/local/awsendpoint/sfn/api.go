package sfn

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

const (
	defaultPage = 100
	maxPage     = 1000
	maxError    = 256
	maxCause    = 32768
)

// runOperation decodes an operation's request and runs it. Unknown members are rejected with an
// error that names them.
func runOperation[In, Out any](operation string, input []byte, run func(In) (Out, error)) (any, error) {
	var request In
	d := json.NewDecoder(bytes.NewReader(input))
	d.DisallowUnknownFields()
	if err := d.Decode(&request); err != nil {
		if member, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
			return nil, awsjson.Unsupported("Step Functions", "the member "+member+" of "+operation)
		}
		return nil, awsjson.Errorf("SerializationException", "%v", err)
	}
	out, err := run(request)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// validationError is the error for a request that violates a constraint of its shape.
func validationError(value, member, constraint string) error {
	return awsjson.Errorf("ValidationException", "1 validation error detected: Value '%s' at '%s' failed to satisfy constraint: %s", value, member, constraint)
}

func checkLength(value, member string, most int) error {
	if utf8.RuneCountInString(value) > most {
		return awsjson.Errorf("ValidationException",
			"1 validation error detected: Value at '%s' failed to satisfy constraint: Member must have length less than or equal to %d", member, most)
	}
	return nil
}

// pageSize returns the number of entries per page.
func pageSize(asked int) (int, error) {
	switch {
	case asked < 0:
		return 0, validationError(itoa(asked), "maxResults", "Member must have value greater than or equal to 0")
	case asked > maxPage:
		return 0, validationError(itoa(asked), "maxResults", "Member must have value less than or equal to 1000")
	case asked == 0:
		return defaultPage, nil
	}
	return asked, nil
}

func invalidToken() error {
	return awsjson.Errorf("InvalidToken", "Invalid Token: 'Invalid token'")
}

// emptyResponse is the response of operations without results.
type emptyResponse struct{}
