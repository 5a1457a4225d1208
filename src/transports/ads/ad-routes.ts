import type { HostedFiles } from '../../ad-serving/embedded/files/hosted-files.ts'
import type { AdPreviews } from '../../ad-serving/embedded/previews.ts'
import type { EmbeddedService } from '../../ad-serving/embedded/service.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import type { Route, Routes } from '../http/server.ts'
import { type AdLimits, limitedRoute } from './ad-limits.ts'
import { refusedMethod, reply } from './ad-reply.ts'
import { adAddresses } from './addresses.ts'
import { decisionRequestReader, type VisitorParts } from './decision-request.ts'
import { type DecisionParts, decideRoute, vastRoute } from './decision-routes.ts'
import { DEMO_PLAYER, type DemoPageParts, demoPageRoute } from './demo-page.ts'
import { deviceReader } from './device.ts'
import { clickRoute, eventRoute, frameRoute } from './event-routes.ts'
import { bundleFileRoute, fileRoute } from './file-routes.ts'
import { TAG_SCRIPT } from './tag-script.ts'

export interface AdRouteParts extends Omit<VisitorParts, 'deviceOf'> {
  readonly embedded: EmbeddedService
  readonly previews: AdPreviews
  readonly files: HostedFiles
  readonly schemas: Schemas
  /** Where a request comes from, behind trusted proxies too. */
  readonly addressOf: DecisionParts['addressOf']
  /** Origin under which pages reach the ad server. */
  readonly origin: string
  readonly limits: AdLimits
  /** Products of a publisher, for its demo page; absent: there is none. */
  readonly demo?: DemoPageParts['publisherOf']
}

/** Every address of the embedded ad server. */
export function adRoutes({ embedded, previews, files, schemas, origin, demo, limits, ...visitor }: AdRouteParts): Routes {
  const parts = {
    ...visitor,
    embedded,
    previews,
    files,
    origin,
    addresses: adAddresses(origin),
    deviceOf: deviceReader(),
    readRequest: decisionRequestReader(schemas),
  }
  const decisions = (route: Route) => limitedRoute(limits.decisions, limits.bucketOf, route)
  const events = (route: Route) => limitedRoute(limits.events, limits.bucketOf, route)
  return [
    [/^\/ads\/tag\.js$/, scriptRoute(TAG_SCRIPT)],
    [/^\/ads\/e\/([A-Za-z]{1,20})$/, events(eventRoute(parts))],
    [/^\/ads\/click$/, events(clickRoute(parts))],
    [/^\/ads\/frame$/, events(frameRoute(parts))],
    [/^\/ads\/files\/([a-z0-9-]{1,64})\/([0-9a-f]{32})\.[a-z0-9]{2,5}$/, events(fileRoute(parts))],
    [/^\/ads\/files\/([a-z0-9-]{1,64})\/([0-9a-f]{32})\/(.{1,600})$/, events(bundleFileRoute(parts))],
    [/^\/ads\/([a-z0-9-]{1,64})\/decide$/, decisions(decideRoute(parts))],
    [/^\/ads\/([a-z0-9-]{1,64})\/vast$/, decisions(vastRoute(parts))],
    ...(demo
      ? [
          [/^\/ads\/demo-player\.js$/, scriptRoute(DEMO_PLAYER)] as const,
          [/^\/ads\/([a-z0-9-]{1,64})\/demo$/, demoPageRoute({ publisherOf: demo, origin })] as const,
        ]
      : []),
  ]
}

function scriptRoute(body: string): Route {
  return async (request, response) => {
    if (refusedMethod(request, response, ['GET', 'HEAD'])) return
    reply(response, 200, { type: 'text/javascript; charset=utf-8', body, cached: true })
  }
}
