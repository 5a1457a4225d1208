/**
 * A log of ad events outside the store, in partitions: what Kafka is. One side writes events where they are received, the other reads them and counts them into the store.
 * An event that was appended stays until it is counted; it may be appended twice, and is counted once, by its id. All events of a key are in one partition, in the order in
 * which they were appended. An implementation knows nothing of ads: it carries keys and texts.
 */
export interface StreamRecord {
  readonly key: string
  readonly value: Buffer
}

/** Where a record came to lie. */
export interface StreamPlace {
  readonly partition: number
  readonly offset: number
}

/** A log, as it is at the moment. */
export interface StreamShape {
  /** A log that is made anew under the same name has another id. */
  readonly logId: string
  readonly partitions: number
}

export interface StreamWriter {
  /** Resolves once every copy that is in sync has the records; the places are in their order. Rejects when that is not known; the records may be there all the same. */
  append(records: readonly StreamRecord[]): Promise<readonly StreamPlace[]>
  /** Rejects while the log takes no records. */
  ping(): Promise<void>
  /** Rejects while nothing is known of the log. */
  shape(): Promise<StreamShape>
  close(): Promise<void>
}

/** What was read of a partition, from where this process was. */
export interface StreamSlice {
  readonly partition: number
  /** In the order of their offsets, which may have gaps. */
  readonly records: readonly { readonly offset: number; readonly appendedAt: Date; readonly value: Buffer }[]
  /** The first offset that is not appended yet. */
  readonly end: number
}

/** One of the processes that read a log together: each partition is of one of them. */
export interface StreamMember extends StreamShape {
  /** Partitions of this process at the moment. Rejects when it does not belong to the others any more. */
  assigned(): Promise<readonly number[]>
  /**
   * What is at the positions (by partition: the offset to read from), waiting a little when there is nothing. Rejects when it cannot be read; with StreamOutOfRange when the log has no such
   * position.
   */
  read(positions: ReadonlyMap<number, number>): Promise<readonly StreamSlice[]>
  /** The first offset that a partition still has, and the first that is not appended yet. */
  bounds(partitions: readonly number[]): Promise<ReadonlyMap<number, { readonly first: number; readonly end: number }>>
  close(): Promise<void>
}

/** A partition does not have the offset that was asked for: it was dropped before it was read, or the log lost it. */
export class StreamOutOfRange extends Error {}

/** Joins the processes that read a log. */
export interface StreamReader {
  join(): Promise<StreamMember>
}
