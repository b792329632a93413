/** The endings of files that Loadbay reads, for choosing one. What a file is, its content says. */
export const accepted = ['.csv', '.tsv', '.txt', '.xlsx', '.xls', '.ndjson', '.jsonl']
