package sqs_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sqs"
)

// sendAs sends messages of a tenant; each body is the tenant's name and a number.
func sendAs(t *testing.T, s *sqs.Service, tenant string, messages int) {
	t.Helper()
	for i := range messages {
		callOperation(t, s, "SendMessage", fmt.Sprintf(`{"QueueUrl":"work","MessageBody":"%s%d","MessageGroupId":"%[1]s"}`, tenant, i))
	}
}

// receiveOne receives the next message.
func receiveOne(t *testing.T, s *sqs.Service) sqs.Message {
	t.Helper()
	messages, err := s.Receive(t.Context(), workQueue, 1, visibility, noWait)
	require.NoError(t, err)
	require.Len(t, messages, 1)
	return messages[0]
}

// A tenant that sends many messages waits only for its own messages.
func TestTenantsAreServedFairly(t *testing.T) {
	t.Parallel()
	s := setup(t)
	sendAs(t, s, "a", 5)
	require.Equal(t, "a0", receiveOne(t, s).Body)
	sendAs(t, s, "b", 2)
	sendAs(t, s, "c", 1)
	var order []string
	for range 4 {
		order = append(order, receiveOne(t, s).Body)
	}
	require.Equal(t, "b0 c0 a1 b1", strings.Join(order, " "))
	require.Equal(t, []string{"a2", "a3", "a4"}, bodies(receive(t, s, workQueue, noWait)), "only one tenant has messages left")
}

// Messages being processed count: a tenant with slow messages is served less often.
func TestLeastBusyTenantIsNext(t *testing.T) {
	t.Parallel()
	s := setup(t)
	sendAs(t, s, "slow", 4)
	sendAs(t, s, "quick", 4)
	for _, want := range []string{"slow0", "quick0", "slow1"} {
		require.Equal(t, want, receiveOne(t, s).Body)
	}
	for i := 1; i < 4; i++ {
		message := receiveOne(t, s)
		require.Equal(t, fmt.Sprint("quick", i), message.Body)
		require.NoError(t, s.Delete(workQueue, message.ReceiptHandle))
	}
	require.Equal(t, "slow2", receiveOne(t, s).Body)
}

func TestBatchIsSharedByTenants(t *testing.T) {
	t.Parallel()
	s := setup(t)
	sendAs(t, s, "a", 20)
	sendAs(t, s, "b", 3)
	require.Equal(t, "a0 b0 a1 b1 a2 b2 a3 a4 a5 a6", strings.Join(bodies(receive(t, s, workQueue, noWait)), " "))
}

// A message keeps its tenant after a restart and in the dead-letter queue.
func TestTenantSurvivesRestartAndRedrive(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	db := openDB(t, path)
	s, err := sqs.New(db, queueConfigs())
	require.NoError(t, err)
	sendAs(t, s, "a", 1)
	require.NoError(t, db.Close())
	db = openDB(t, path)
	defer db.Close()
	s, err = sqs.New(db, queueConfigs())
	require.NoError(t, err)
	for range 2 { // the maximum receive count
		message := receiveOne(t, s)
		require.Equal(t, "a", message.Attributes[sqs.MessageGroupID])
		require.NoError(t, s.ChangeVisibility(workQueue, message.ReceiptHandle, 0))
	}
	require.Empty(t, receive(t, s, workQueue, noWait))
	letters := receive(t, s, deadLetterQueue, noWait)
	require.Len(t, letters, 1)
	require.Equal(t, "a", letters[0].Attributes[sqs.MessageGroupID])
}
