package faults

import (
	"strings"
	"syscall"
	"testing"

	"github.com/loadbay/loadbay/infra/local/intercept"
)

// TestFaults makes each fault happen, one after the other, to one Loadbay. The
// names are those of the table of faults.
func TestFaults(t *testing.T) {
	r := start(t)
	for _, fault := range []struct {
		name string
		test func(*testing.T, *rig)
	}{
		{"a message delivered twice, in parallel", deliveredTwiceInParallel},
		{"a message delivered again after the end", deliveredAfterTheEnd},
		{"chunks out of order, upsert", outOfOrderUpsert},
		{"chunks out of order, insert", outOfOrderInsert},
		{"crash before commit", crashBeforeCommit},
		{"crash after commit, before the message is deleted", crashAfterCommit},
		{"two last chunks at once", twoLastChunks},
		{"crash between the last commit and task success", crashBeforeTaskSuccess},
		{"crash after task success", crashAfterTaskSuccess},
		{"splitter crashes between parts of the ledger", splitterCrashesAtLedger(addChunks, 2, 100)},
		{"splitter crashes before the end of the ledger", splitterCrashesAtLedger(splitDone, 1, manyChunks)},
		{"splitter crashes between messages", splitterCrashesAtQueue},
		{"splitter crashes between chunk objects", splitterCrashesAtObjects},
		{"an attempt at waiting dies before its token is stored", olderAttempt(false)},
		{"an attempt at waiting dies after its token is stored", olderAttempt(true)},
		{"an answer to an older attempt", answerToAnOlderAttempt},
		{"Postgres is stopped mid-chunk", postgresRestarts(syscall.SIGINT)},
		{"Postgres crashes mid-chunk", postgresRestarts(syscall.SIGKILL)},
		{"the connection is lost mid-chunk", connectionLost(func(s *intercept.Statement) bool { return strings.Contains(s.SQL, advance) }, false)},
		{"the connection is lost at the commit", connectionLost(writesChunk, false)},
		{"the answer to the commit is lost", connectionLost(writesChunk, true)},
		{"deadlock", deadlock},
		{"serialization failure, three times", serializationFailure(3, 1)},
		{"serialization failure, more often", serializationFailure(5, 2)},
		{"statement timeout", statementTimeout},
		{"a poison row", poisonRow},
		{"S3 503, twice", objectFault("process", 2, 1, unavailable)},
		{"S3 503, more often", objectFault("process", 4, 2, unavailable)},
		{"S3 503 for the splitter", objectFault("split", 4, 1, unavailable)},
		{"S3 truncated", objectFault("process", 1, 2, truncated)},
		{"S3 too short", objectFault("process", 1, 2, short)},
		{"S3 wrong bytes", objectFault("process", 1, 2, altered)},
		{"S3 slow", objectFault("process", 1, 1, slow)},
		{"a message in the DLQ", deadLetter},
		{"StartExecution twice", startTwice},
		{"crash before StartExecution", crashBeforeStart},
		{"the API crashes before StartExecution", apiCrashesBeforeStart},
		{"the same Idempotency-Key at the same moment", sameKeyAtOnce},
		{"clock skew of 10 minutes", clockSkew},
		{"cancel against the last chunk: the chunk first", lastChunkBeforeCancel},
		{"cancel against the last chunk: cancel first", cancelBeforeLastChunk},
		{"cancel against the last chunk: a race", cancelAgainstLastChunk},
		{"purge against a resume", purgeAgainstResume},
		{"a whole file longer than the Lambda limit", wholeFileLongerThanTheLimit},
		{"a whole file whose invocation dies before its checkpoint", wholeFileCrashes(false)},
		{"a whole file whose invocation dies after its checkpoint", wholeFileCrashes(true)},
	} {
		for range *rounds {
			if !t.Run(fault.name, func(t *testing.T) { fault.test(t, r) }) {
				return // what is left of a failure may spoil what follows
			}
		}
	}
}
