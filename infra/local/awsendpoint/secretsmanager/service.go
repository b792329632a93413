// Package secretsmanager implements Secrets Manager on one machine, as far as Loadbay uses it: the
// blueprint's secret exists from the start, with a key like the one that CloudFormation would
// create, and its current value can be read and replaced. Everything else is rejected with an
// error that names it.
//
// Source: https://docs.aws.amazon.com/secretsmanager/latest/apireference/
//
// Tested by infra/tests/conformance: its API, through AWS's SDK.
package secretsmanager

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

const (
	serviceName = "Secrets Manager"
	arnPrefix   = "arn:aws:secretsmanager:us-east-1:000000000000:secret:"
	// arnSuffix replaces the six random characters that AWS appends.
	arnSuffix = "-000000"
)

// bucket stores the current value of each secret by name.
var bucket = []byte("secretsmanager")

// Service is one account's Secrets Manager.
type Service struct{ db *bbolt.DB }

// version is a value of a secret. Created is in seconds since 1970.
type version struct {
	ID      string
	Text    string
	Created float64
}

func newVersion(text string) version {
	return version{ID: uuid.NewString(), Text: text, Created: float64(time.Now().UnixMilli()) / 1000}
}

// New opens the secrets, and creates the blueprint's secret if it does not exist.
func New(db *bbolt.DB, s blueprint.Secret) (*Service, error) {
	err := db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(bucket)
		if err != nil || b.Get([]byte(s.Name)) != nil {
			return err
		}
		text, err := blueprint.NewSecretValue()
		if err != nil {
			return err
		}
		return putVersion(tx, s.Name, newVersion(text))
	})
	if err != nil {
		return nil, fmt.Errorf("local Secrets Manager: %w", err)
	}
	return &Service{db: db}, nil
}

// Target is the service's name on the wire.
func (s *Service) Target() string { return "secretsmanager" }

// ARN returns the ARN of a secret, given its name or ARN.
func ARN(id string) string { return arnPrefix + secretName(id) + arnSuffix }

// secretName returns the name of a secret, given its name or ARN.
func secretName(id string) string {
	return strings.TrimSuffix(strings.TrimPrefix(id, arnPrefix), arnSuffix)
}

// Call runs one operation of the wire protocol.
func (s *Service) Call(_ context.Context, operation string, input []byte) (any, error) {
	switch operation {
	case "GetSecretValue":
		return s.get(input)
	case "PutSecretValue":
		return s.put(input)
	}
	return nil, awsjson.Unsupported(serviceName, operation)
}

// valueOutput is a version in the responses of both operations; only reading includes its text.
type valueOutput struct {
	ARN           string
	Name          string
	VersionID     string   `json:"VersionId"`
	VersionStages []string `json:"VersionStages"`
	SecretString  string   `json:",omitempty"`
	CreatedDate   float64  `json:",omitempty"`
}

func secretDescription(name string, v version) valueOutput {
	return valueOutput{ARN: ARN(name), Name: name, VersionID: v.ID, VersionStages: []string{"AWSCURRENT"}}
}

func (s *Service) get(input []byte) (any, error) {
	var in struct {
		SecretID string `json:"SecretId"`
	}
	if err := awsjson.DecodeStrict(serviceName, input, &in); err != nil {
		return nil, err
	}
	var found valueOutput
	err := s.db.View(func(tx *bbolt.Tx) error {
		v, err := currentVersion(tx, secretName(in.SecretID))
		found = secretDescription(secretName(in.SecretID), v)
		found.SecretString, found.CreatedDate = v.Text, v.Created
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

func (s *Service) put(input []byte) (any, error) {
	var in struct {
		SecretID           string `json:"SecretId"`
		SecretString       string
		ClientRequestToken string
	}
	if err := awsjson.DecodeStrict(serviceName, input, &in); err != nil {
		return nil, err
	}
	if in.SecretString == "" {
		return nil, awsjson.Errorf("InvalidRequestException", "You must provide either SecretString or SecretBinary.")
	}
	v := newVersion(in.SecretString)
	err := s.db.Update(func(tx *bbolt.Tx) error {
		if _, err := currentVersion(tx, secretName(in.SecretID)); err != nil {
			return err
		}
		return putVersion(tx, secretName(in.SecretID), v)
	})
	if err != nil {
		return nil, err
	}
	return secretDescription(secretName(in.SecretID), v), nil
}

// currentVersion returns the current version of a secret.
func currentVersion(tx *bbolt.Tx, name string) (v version, err error) {
	text := tx.Bucket(bucket).Get([]byte(name))
	if text == nil {
		return v, awsjson.Errorf("ResourceNotFoundException", "Secrets Manager can't find the specified secret.")
	}
	return v, json.Unmarshal(text, &v)
}

func putVersion(tx *bbolt.Tx, name string, v version) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return tx.Bucket(bucket).Put([]byte(name), text)
}
