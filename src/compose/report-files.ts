import type { IncomingMessage } from 'node:http'
import { publicOrigin } from '../config/config.ts'
import { allowsTask } from '../domain/account/permission.ts'
import { isCovered } from '../pipeline/steps/authorize.ts'
import type { PeerOf } from '../platform/net/peer.ts'
import { AdcpError } from '../protocol/errors.ts'
import { bearerChallenge } from '../security/auth/challenge.ts'
import { identify } from '../security/auth/identify.ts'
import { findAccount } from '../store/account/accounts.ts'
import { findPrincipal } from '../store/identity/principals.ts'
import { findReportFile, listReportFiles } from '../store/reporting/files.ts'
import type { ReportFileParts } from '../transports/http/reporting-files.ts'
import { credentialsOf } from '../transports/json-rpc/json-post.ts'
import type { App } from './app.ts'

/** The task that tells of reports: who may call it for an account may fetch the files of its reports, whatever the status of the account. */
const TASK = 'get_reporting_status'

/** The door of files of reports: who may read them is who may ask for reports. */
export function reportFileParts(app: App, peerOf: PeerOf): ReportFileParts {
  const { store, config, clock, fileLinks } = app
  const origin = publicOrigin(config)
  const challenge = bearerChallenge({ agentUrl: app.services.wiring.agentUrl })
  const identifyBuyer = async (request: IncomingMessage) => {
    const credentials = credentialsOf(request, undefined, { aliasHeader: config.auth.aliasHeader, peerOf })
    const caller = await identify(app.verifiers, credentials, clock())
    if (caller.kind === 'refused') throw caller.error
    const principal = caller.kind === 'known' ? caller.principal : undefined
    await app.limitCalls({ principal, isMutating: false, address: credentials.remoteAddress })
    if (!principal) {
      const headers = { 'WWW-Authenticate': challenge }
      throw new AdcpError('AUTH_REQUIRED', 'a file needs credentials, or an address that was signed for it', {
        http: { status: 401, headers },
      })
    }
    const task = app.tasks.get(TASK)
    if (!task || !isCovered(task, principal)) {
      const message = 'files of reports need the scope adcp:media_buys'
      throw new AdcpError('INSUFFICIENT_PERMISSIONS', message, { http: { status: 403 } })
    }
    return principal
  }
  return {
    ...{ origin, links: fileLinks, clock, identify: identifyBuyer },
    // A download through a signed address counts against the rate limit of the buyer that it was signed for, whoever fetches it.
    limit: (request, principal) => app.limitCalls({ principal, isMutating: false, address: peerOf(request).address }),
    find: (resourceRef, objectRef) => findReportFile(store.read, resourceRef, objectRef),
    list: (resourceRef) => listReportFiles(store.read, resourceRef),
    async isAuthorized(file) {
      const principal = await findPrincipal(store.read, file.tenantId, file.principalId)
      if (principal?.status !== 'active') return false
      const account = await findAccount(store.read, file, file.accountId)
      return account !== undefined && allowsTask(account.permission, TASK)
    },
  }
}
