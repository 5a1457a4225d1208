import { withoutTrailing } from '../../without-trailing.ts'

/** A reference to a format: who defines it, its id, and for a template its parameters (AdCP core/format-id.json). */
export interface FormatKey {
  readonly agent_url: string
  readonly id: string
  readonly width?: number
  readonly height?: number
  readonly duration_ms?: number
}

/**
 * Whether `wanted` names the format `own`. Owner addresses are compared in canonical form (AdCP url-canonicalization);
 * a parameter counts only when both sides state it, since a template without parameters accepts any.
 */
export function sameFormat(wanted: FormatKey, own: FormatKey): boolean {
  return (
    wanted.id === own.id &&
    canonicalAgentUrl(wanted.agent_url) === canonicalAgentUrl(own.agent_url) &&
    sameParameters(wanted, own)
  )
}

/** Whether two references to one format or template agree in its parameters; one counts only when both sides state it. */
export function sameParameters(wanted: FormatKey, own: FormatKey): boolean {
  return agrees(wanted.width, own.width) && agrees(wanted.height, own.height) && agrees(wanted.duration_ms, own.duration_ms)
}

/** Lower-case scheme and host, no default port, no trailing slash or fragment; text that is no URL stays as it is. */
export function canonicalAgentUrl(text: string): string {
  if (!URL.canParse(text)) return text
  const url = new URL(text)
  const path = withoutTrailing(url.pathname, '/')
  return `${url.protocol}//${url.host}${path}${url.search}`
}

function agrees(wanted: number | undefined, own: number | undefined): boolean {
  return wanted === undefined || own === undefined || wanted === own
}
