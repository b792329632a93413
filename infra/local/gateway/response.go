package gateway

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// response is a function's answer in payload format 2.0.
type response struct {
	StatusCode        int                 `json:"statusCode"`
	Headers           map[string]string   `json:"headers"`
	MultiValueHeaders map[string][]string `json:"multiValueHeaders"`
	Cookies           []string            `json:"cookies"`
	Body              string              `json:"body"`
	IsBase64Encoded   bool                `json:"isBase64Encoded"`

	content []byte // Body, decoded
}

// readResponse reads what a function returned. Anything that is JSON but has no
// status code is the body of a 200 itself, as API Gateway has it.
func readResponse(output []byte) (*response, error) {
	if !json.Valid(output) {
		return nil, errors.New("the function's answer is not JSON")
	}
	var a response
	if err := json.Unmarshal(output, &a); err != nil || a.StatusCode == 0 {
		return &response{
			StatusCode: http.StatusOK,
			Headers:    map[string]string{"content-type": "application/json"},
			content:    output,
		}, nil
	}
	if a.StatusCode < 200 || a.StatusCode > 599 {
		return nil, fmt.Errorf("the function's answer has the status code %d", a.StatusCode)
	}
	a.content = []byte(a.Body)
	if a.IsBase64Encoded {
		var err error
		if a.content, err = base64.StdEncoding.DecodeString(a.Body); err != nil {
			return nil, fmt.Errorf("the body of the function's answer: %w", err)
		}
	}
	return &a, nil
}

func (a *response) write(w http.ResponseWriter) {
	header := w.Header()
	for name, values := range a.MultiValueHeaders {
		header.Set(name, strings.Join(values, ","))
	}
	for name, value := range a.Headers {
		header.Set(name, value)
	}
	for _, cookie := range a.Cookies {
		header.Add("Set-Cookie", cookie)
	}
	if header.Get("Content-Type") == "" && len(a.content) > 0 {
		header.Set("Content-Type", "text/plain;charset=UTF-8")
	}
	w.WriteHeader(a.StatusCode)
	_, _ = w.Write(a.content) // the caller has gone; there is nobody to tell
}
