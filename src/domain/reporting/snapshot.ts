import { shortHash } from './obligation.ts'

/** A moment of the records of a buyer's account: up to which record, and when it was looked at. */
export interface Snapshot {
  readonly seq: number
  readonly asOf: Date
}

/** The name of a snapshot, which says by itself what it is of: none is stored. `owner` has string members alone. */
export function snapshotId(owner: object, { seq, asOf }: Snapshot): string {
  return `reporting-ledger.${seq}.${asOf.getTime()}.${shortHash(['snapshot', owner, seq, asOf.getTime()])}`
}

/** The snapshot of a name; undefined for one that is not of this owner. */
export function snapshotOf(owner: object, id: string): Snapshot | undefined {
  const [, seq, at] = /^reporting-ledger\.(\d{1,10})\.(\d{1,15})\./.exec(id) ?? []
  if (seq === undefined || at === undefined) return undefined
  const snapshot = { seq: Number(seq), asOf: new Date(Number(at)) }
  return snapshotId(owner, snapshot) === id ? snapshot : undefined
}
