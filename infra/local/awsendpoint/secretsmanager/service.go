// Package secretsmanager is Secrets Manager on one machine, as far as Loadbay uses it: the
// secret of the blueprint is there from the start, with a key as CloudFormation would make
// it, and its present value is read and replaced. Everything else is refused by name.
//
// Facts: https://docs.aws.amazon.com/secretsmanager/latest/apireference/
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
	// arnSuffix stands for the six characters that AWS draws for each secret.
	arnSuffix = "-000000"
)

// bucket keeps the present value of each secret by its name.
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

// New opens the secrets, and makes the one that is missing.
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

// ARN is the ARN of a secret, which a request calls by its name or by that.
func ARN(id string) string { return arnPrefix + secretName(id) + arnSuffix }

// secretName is the name of a secret that is called by it or by its ARN.
func secretName(id string) string {
	return strings.TrimSuffix(strings.TrimPrefix(id, arnPrefix), arnSuffix)
}

// Call runs one operation of the wire.
func (s *Service) Call(_ context.Context, operation string, input []byte) (any, error) {
	switch operation {
	case "GetSecretValue":
		return s.get(input)
	case "PutSecretValue":
		return s.put(input)
	}
	return nil, awsjson.Unsupported(serviceName, operation)
}

// valueOutput is what both operations say of a version; only reading shows its text.
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

// currentVersion is the present version of a secret.
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
