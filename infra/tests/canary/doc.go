// Package canary looks for values of people's files where they must not be.
//
// It imports, exports, decides, cancels and breaks jobs with files that contain one
// distinctive value in every place where a file and its sender can have a value, and
// then searches everything that is stored or sent. The value may be in:
//
//   - the database, and the API's responses to the job's own organisation: its
//     results, mappings, file name and options;
//   - the objects: the file itself, its chunks, its error workbook, exports, and
//     reports next to the drop folder;
//   - for a dropped file, its key, which its sender chose: as a key under drop/,
//     drop-quarantine/ and results/, in the event that the bucket raises, and in the
//     message of that event to the function drop;
//   - for the name of a column that is not imported, the event about the import.
//
// It must not be anywhere else: no log line, no metric, no execution's history, no
// other queue, no item of the coordination table, no other object's key, no response to
// a request that did not contain it itself.
package canary
