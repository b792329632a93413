package faults

import (
	"strings"
	"syscall"
	"testing"

	"github.com/loadbay/loadbay/infra/tests/intercept"
)

// TestFaults makes each fault happen, one after the other, to one Loadbay. The
// names are those of the table of faults.
func TestFaults(t *testing.T) {
	r := start(t)
	for _, fault := range []struct {
		name string
		test func(*testing.T, *rig)
		long bool // much like another one: only where there is time
	}{
		{"a message delivered twice, in parallel", deliveredTwiceInParallel, false},
		{"a message delivered again after the end", deliveredAfterTheEnd, false},
		{"chunks out of order, upsert", outOfOrderUpsert, false},
		{"chunks out of order, insert", outOfOrderInsert, false},
		{"crash before commit", crashBeforeCommit, false},
		{"crash after commit, before the message is deleted", crashAfterCommit, false},
		{"two last chunks at once", twoLastChunks, false},
		{"crash between the last commit and task success", crashBeforeTaskSuccess, false},
		{"crash after task success", crashAfterTaskSuccess, false},
		{"splitter crashes between parts of the ledger", splitterCrashesAtLedger(addChunks, 2, 100), false},
		{"splitter crashes before the end of the ledger", splitterCrashesAtLedger(splitDone, 1, manyChunks), true},
		{"splitter crashes between messages", splitterCrashesAtQueue, false},
		{"splitter crashes between chunk objects", splitterCrashesAtObjects, false},
		{"an attempt at waiting dies before its token is stored", olderAttempt(false), false},
		{"an attempt at waiting dies after its token is stored", olderAttempt(true), false},
		{"crash between a change of how the file is read and task success", crashBeforeReadingAgain, false},
		{"crash between a decision and task success, when nothing is due", crashAfterDecision, false},
		{"an analysis that is made again dies before its commit", analysisAgainCrashes(false), false},
		{"an analysis that is made again dies after its commit", analysisAgainCrashes(true), false},
		{"a change of how the file is read against a confirmation", changeAgainstConfirm, false},
		{"a rehearsal dies before its commit", planCrashes("process", keepsPlan, false), false},
		{"a rehearsal dies after its commit", planCrashes("process", keepsPlan, true), true},
		{"the judgement of a plan dies before its commit", planCrashes("await", judgesPlan, false), false},
		{"the judgement of a plan dies after its commit", planCrashes("await", judgesPlan, true), false},
		{"crash between an approval and task success", crashBeforeApplying, false},
		{"a chunk of a plan dies before it is committed", planCrashes("process", savesChunk, false), false},
		{"a chunk of a plan dies after it is committed", planCrashes("process", savesChunk, true), false},
		{"an answer to an older attempt", answerToAnOlderAttempt, false},
		{"Postgres is stopped mid-chunk", postgresRestarts(syscall.SIGINT), true},
		{"Postgres crashes mid-chunk", postgresRestarts(syscall.SIGKILL), false},
		{"the connection is lost mid-chunk", connectionLost(func(s *intercept.Statement) bool { return strings.Contains(s.SQL, advance) }, false), false},
		{"the connection is lost at the commit", connectionLost(writesChunk, false), true},
		{"the answer to the commit is lost", connectionLost(writesChunk, true), false},
		{"deadlock", deadlock, false},
		{"serialization failure, three times", serializationFailure(3, 1), false},
		{"serialization failure, more often", serializationFailure(5, 2), false},
		{"statement timeout", statementTimeout, false},
		{"a poison row", poisonRow, false},
		{"S3 503, twice", objectFault("process", 2, 1, unavailable), true},
		{"S3 503, more often", objectFault("process", 4, 2, unavailable), false},
		{"S3 503 for the splitter", objectFault("split", 4, 1, unavailable), true},
		{"S3 truncated", objectFault("process", 1, 2, truncated), false},
		{"S3 too short", objectFault("process", 1, 2, short), true},
		{"S3 wrong bytes", objectFault("process", 1, 2, altered), false},
		{"S3 slow", objectFault("process", 1, 1, slow), false},
		{"a message in the DLQ", deadLetter, false},
		{"an export that dies until it is given up", exportDies, false},
		{"a fetch that dies until it is given up", fetchDies, false},
		{"StartExecution twice", startTwice, false},
		{"crash before StartExecution", crashBeforeStart, true},
		{"the API crashes before StartExecution", apiCrashesBeforeStart, false},
		{"the same Idempotency-Key at the same moment", sameKeyAtOnce, false},
		{"clock skew of 10 minutes", clockSkew, false},
		{"cancel against the last chunk: the chunk first", lastChunkBeforeCancel, false},
		{"cancel against the last chunk: cancel first", cancelBeforeLastChunk, false},
		{"cancel against the last chunk: a race", cancelAgainstLastChunk, false},
		{"purge against a resume", purgeAgainstResume, false},
		{"a whole file longer than the Lambda limit", wholeFileLongerThanTheLimit, false},
		{"a whole file whose invocation dies before its checkpoint", wholeFileCrashes(false), false},
		{"a whole file whose invocation dies after its checkpoint", wholeFileCrashes(true), true},
	} {
		if fault.long && !long() {
			continue
		}
		for range *rounds {
			if !t.Run(fault.name, func(t *testing.T) { fault.test(t, r) }) {
				return // what is left of a failure may spoil what follows
			}
		}
	}
}
