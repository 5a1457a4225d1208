/** What of a decoder was exceeded; `content` is what the format itself does not allow. */
export type DecodeLimit = 'content' | 'size' | 'time' | 'memory' | 'queue'

/** A foreign document that is not decoded. The message says why and what is allowed, as the end of a sentence about the document. */
export class DecodeFault extends Error {
  override readonly name = 'DecodeFault'
  readonly limit: DecodeLimit
  /** 1-based line of the document, where the decoder knows it. */
  readonly line: number | undefined

  constructor(limit: DecodeLimit, message: string, line?: number) {
    super(message)
    this.limit = limit
    this.line = line
  }
}
