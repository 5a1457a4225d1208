import { publicOrigin } from '../config/config.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { INVITATION_TEXT, inviteFirstAdministrator } from '../operator/people/invite-person.ts'

/** Ports that a server bound. */
interface Ports {
  readonly port: number
  readonly consolePort?: number | undefined
}

/** Where the console is; before the first account, with a link by which the first administrator does, once. */
export async function consoleLines(operator: OperatorContext, ports: Ports): Promise<readonly string[]> {
  const address = consoleAddress(operator, ports)
  const token = await inviteFirstAdministrator(operator)
  if (token === undefined) return ['', `Console: ${address}`]
  return [
    '',
    `Console: ${address}. No account yet; this link makes the first administrator, once, within ${INVITATION_TEXT}:`,
    '',
    `  ${address}/join/${token}`,
  ]
}

/** Address of the console, as far as the configuration says it. */
export function consoleAddress({ config }: Pick<OperatorContext, 'config'>, { port, consolePort }: Ports): string {
  const { host, port: ownPort } = config.console
  const own = consolePort ?? ownPort
  const { publicUrl: _agents, ...withoutUrl } = config
  return `${own === undefined ? publicOrigin({ ...config, port }) : publicOrigin({ ...withoutUrl, host, port: own })}/console`
}
