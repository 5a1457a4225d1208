import { eachLine, type Steps } from '../../platform/concurrency/steps.ts'
import { publisherDomain } from './publisher-domain.ts'

/** `MANAGERDOMAIN=host`, optional comment. The host is a bare token: nothing with a scheme, a port or a path. */
const DIRECTIVE = /^\s*managerdomain\s*=\s*([A-Za-z0-9.-]+)\s*(?:#(.*))?$/i
const OPT_OUT = /\bnoagents\b/i

/**
 * The manager domain that an ads.txt names for agents: the last eligible `MANAGERDOMAIN` line of the file. A line whose
 * comment says `noagents` is not eligible. Gives undefined when there is none.
 * Source: AdCP managed networks page; IAB ads.txt 1.1 §3.5.
 */
export function* managerDomainOf(adsTxt: string): Steps<string | undefined> {
  let manager: string | undefined
  yield* eachLine(adsTxt.replace(/^\uFEFF/, ''), (line) => {
    const match = DIRECTIVE.exec(line)
    if (!match || OPT_OUT.test(match[2] ?? '')) return
    manager = publisherDomain(match[1]) ?? manager
  })
  return manager
}
