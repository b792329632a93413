package sqs_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sqs"
)

// BenchmarkMessage measures the life cycle of a message: send, receive, delete.
func BenchmarkMessage(b *testing.B) {
	db, err := awsendpoint.OpenDatabase(filepath.Join(b.TempDir(), "db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	s, err := sqs.New(db, queueConfigs())
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		if _, err := s.Send(workQueue, fmt.Sprintf(`{"job":"%036d","chunk":%d}`, i, i)); err != nil {
			b.Fatal(err)
		}
		messages, err := s.Receive(b.Context(), workQueue, 1, visibility, 0)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Delete(workQueue, messages[0].ReceiptHandle); err != nil {
			b.Fatal(err)
		}
	}
}
