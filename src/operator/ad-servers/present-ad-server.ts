import { snakeMembers } from '../snake-members.ts'
import type { listAdServers } from './show-ad-servers.ts'

/** An ad server as the API answers it. */
export function presentAdServer({ capabilities, ...adServer }: Awaited<ReturnType<typeof listAdServers>>[number]) {
  if (!capabilities) return adServer
  return { ...adServer, capabilities: { ...snakeMembers(capabilities), reports: snakeMembers(capabilities.reports) } }
}
