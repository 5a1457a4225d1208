import { stepsAround } from './contracts.ts'
import { type Json, laterAnswer } from './converters/line-converter.ts'

/** The result of a task as a release line shows it, for work that outlasts the call that asked for it under that line. */
export function shownResult(line: string, task: string, status: string, result: Json): Json {
  const { steps, after } = stepsAround(line)
  return { adcp_version: line, status, ...laterAnswer(steps, task, result, after) }
}
