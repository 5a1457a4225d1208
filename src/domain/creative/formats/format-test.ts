import { canonicalAgentUrl, type FormatKey, sameParameters } from './format-id.ts'
import { ownReference } from './official-formats.ts'

/**
 * A test for formats that any of the wanted references names: directly, or as the official format that takes the same files. The references are put
 * in order by agent and id once, since a request may hold thousands of them and every format is tested.
 */
export function formatTest(wanted: readonly FormatKey[]): (own: FormatKey) => boolean {
  const direct = new Map<string, FormatKey[]>()
  const official = new Set<string>()
  for (const format of wanted) {
    const own = ownReference(format, format.agent_url)
    if (own !== format) official.add(own.id)
    const key = keyOf(format)
    const alike = direct.get(key)
    if (alike) alike.push(format)
    else direct.set(key, [format])
  }
  return (own) => official.has(own.id) || (direct.get(keyOf(own)) ?? []).some((format) => sameParameters(format, own))
}

function keyOf({ agent_url, id }: FormatKey): string {
  return JSON.stringify([canonicalAgentUrl(agent_url), id])
}
