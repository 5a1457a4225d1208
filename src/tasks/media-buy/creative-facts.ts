import type { Assignment, CreativeFacts, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import type { Owner } from '../../store/accounts.ts'
import type { Db } from '../../store/database.ts'

/** What the creative library says of the creatives of media buys. */
export async function creativeFactsOf(_db: Db, _owner: Owner, _buys: readonly MediaBuy[]): Promise<CreativeFacts> {
  return new Map()
}

/** Puts assignments in place of the present ones of a package. */
export async function replaceAssignments(
  _tx: Db,
  _owner: Owner,
  _packageId: string,
  _assignments: readonly Assignment[],
  _now: Date,
): Promise<void> {}
