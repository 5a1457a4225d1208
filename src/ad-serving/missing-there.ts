import { ORDER, subjectOfLine } from '../domain/ad-serving/drift.ts'

/**
 * What was brought to an ad server cannot be found there, or not told from something else: nothing is booked in its place until a person has looked. Thrown by
 * `observe` never (there it is undefined, or a line that is left out), by writes always.
 */
export class MissingThere extends Error {
  /** As drift names it. */
  readonly subject: string

  /** `lineExternalId`: our id of the line; undefined: it is the order. */
  constructor(message: string, lineExternalId?: string) {
    super(message)
    this.name = 'MissingThere'
    this.subject = lineExternalId === undefined ? ORDER : subjectOfLine(lineExternalId)
  }
}
