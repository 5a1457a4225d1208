/** What validation found: an `error` keeps the creative out of the library, a `warning` sends it to a person. */
export interface Finding {
  readonly severity: 'error' | 'warning'
  /** Path inside the creative, e.g. `assets.image.width`. */
  readonly field: string
  /** Continues the field: `must be 300`. */
  readonly message: string
  /** A required piece is not there at all. */
  readonly missing?: true
}

/** Something is there and breaks a rule. */
export function failure(field: string, message: string): Finding {
  return { severity: 'error', field, message }
}

/** Something required is not there. */
export function absence(field: string, message: string): Finding {
  return { severity: 'error', field, message, missing: true }
}

/** Something that no rule can vouch for. */
export function warning(field: string, message: string): Finding {
  return { severity: 'warning', field, message }
}
