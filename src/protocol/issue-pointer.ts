import type { ErrorObject } from 'ajv'

/** The pointer of the member that is missing or too much, not of its parent. */
export function pointerOf({ instancePath, params }: ErrorObject): string {
  const member = params.missingProperty ?? params.additionalProperty
  return typeof member === 'string' ? `${instancePath}/${member.replaceAll('~', '~0').replaceAll('/', '~1')}` : instancePath
}
