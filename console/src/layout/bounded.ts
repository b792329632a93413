const most = 99

/** A count where there is room for two digits: more than that is `99+`. */
export const bounded = (count: number): string => (count > most ? `${most}+` : String(count))
