/** An identifier of a person as the buyer sent it: hashed mail address or phone, universal id, click. */
export interface Identifier {
  /** `hashed_email`, `hashed_phone`, a universal id type such as `uid2`, or `click_id`. */
  readonly kind: string
  readonly value: string
}

/** The publisher's own knowledge of people: which of a buyer's identifiers belong to somebody it can reach. */
export interface IdentityGraph {
  readonly name: string
  readonly description: string
  /** It holds no real people. */
  readonly simulated: boolean
  /** For each identifier, in order, whether it is known. Network calls belong here, so it is asked before a transaction. */
  match(identifiers: readonly Identifier[]): Promise<readonly boolean[]>
}
