package sfn

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/history"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/interp"
)

type historyRequest struct {
	ExecutionARN         string `json:"executionArn"`
	MaxResults           int    `json:"maxResults"`
	ReverseOrder         bool   `json:"reverseOrder"`
	NextToken            string `json:"nextToken"`
	IncludeExecutionData *bool  `json:"includeExecutionData"`
}

type historyResponse struct {
	Events    []json.RawMessage `json:"events"`
	NextToken string            `json:"nextToken,omitempty"`
}

func (s *Service) getExecutionHistory(r historyRequest) (*historyResponse, error) {
	limit, err := pageSize(r.MaxResults)
	if err != nil {
		return nil, err
	}
	withData := r.IncludeExecutionData == nil || *r.IncludeExecutionData
	response := &historyResponse{Events: []json.RawMessage{}}
	err = s.readExecution(r.ExecutionARN, func(l store, key string, x *interp.Execution) error {
		start, step := int64(1), int64(1)
		if r.ReverseOrder {
			start, step = x.LastEvent, -1
		}
		if r.NextToken != "" {
			if start, err = readPageToken(r.NextToken, x.LastEvent); err != nil {
				return err
			}
		}
		id := start
		for ; id >= 1 && id <= x.LastEvent && len(response.Events) < limit; id += step {
			text, err := l.event(key, id, withData)
			if err != nil {
				return err
			}
			response.Events = append(response.Events, text)
		}
		if id >= 1 && id <= x.LastEvent {
			response.NextToken = pageToken(id)
		}
		return nil
	})
	return response, err
}

// event returns an event in wire format.
func (l store) event(key string, id int64, withData bool) (json.RawMessage, error) {
	text := bytes.Clone(l.bucket(bucketHistory).Get(eventKey(key, id)))
	if withData {
		return text, nil
	}
	var e history.Event
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, fmt.Errorf("read event %d of %s: %w", id, key, err)
	}
	return json.Marshal(e.WithoutData())
}

// pageToken encodes the first event of a page.
func pageToken(id int64) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(id)))
}

func readPageToken(token string, last int64) (int64, error) {
	data, err := base64.StdEncoding.DecodeString(token)
	if err != nil || len(data) != 8 {
		return 0, invalidToken()
	}
	id := int64(binary.BigEndian.Uint64(data))
	if id < 1 || id > last {
		return 0, invalidToken()
	}
	return id, nil
}
