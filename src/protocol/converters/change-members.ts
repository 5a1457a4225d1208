import { isObject } from '../is-object.ts'
import type { Conversion, Conversions, Json } from './line-converter.ts'

/** The object with a member under another name; the same object when it has none of the old one. */
export function renamed(object: Json, from: string, to: string): Json {
  if (!Object.hasOwn(object, from)) return object
  const { [from]: value, ...rest } = object
  return { [to]: value, ...rest }
}

/** The object with every object in one of its lists changed. */
export function entries(object: Json, list: string, change: Conversion): Json {
  const values = object[list]
  if (!Array.isArray(values)) return object
  return { ...object, [list]: values.map((value: unknown) => (isObject(value) ? change(value) : value)) }
}

/** The conversion of `get_task_status`: what the followed task answered is converted as the answer of that task. */
export function withResult(answers: Conversions): Conversion {
  return (answer) => {
    const { task_type: task, result } = answer
    if (typeof task !== 'string' || !isObject(result) || !Object.hasOwn(answers, task)) return answer
    return { ...answer, result: answers[task]?.(result) ?? result }
  }
}
