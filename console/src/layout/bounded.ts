const most = 99

/** A count with at most two digits; larger ones become `99+`. */
export const bounded = (count: number): string => (count > most ? `${most}+` : String(count))
