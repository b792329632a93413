// Package canary looks for values of people's files where they must not be.
//
// It imports, exports, decides, cancels and breaks jobs whose files hold one
// distinctive value in every place a file and its sender have for one, and then
// searches everything that is kept or sent. The value may be in:
//
//   - the database, and the API's responses to the job's own organisation: its
//     results, mappings, file name and options;
//   - the objects: the file itself, its chunks, its error workbook, exports, and
//     what is written next to the drop folder;
//   - of a dropped file, its key, which its sender chose: as a key under drop/,
//     drop-quarantine/ and results/, and in the event that the bucket raises.
//
// It may stand nowhere else: no log line, no metric, no execution's history, no
// queue, no item of the coordination table, no other object's key, no response to
// a request that did not hold it itself.
package canary
