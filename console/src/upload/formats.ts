/** File extensions for the file picker. The format itself is detected from the content. */
export const accepted = ['.csv', '.tsv', '.txt', '.xlsx', '.xls', '.ndjson', '.jsonl']
