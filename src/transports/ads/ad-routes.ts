import type { HouseService } from '../../ad-serving/house/service.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import type { Route, Routes } from '../http/server.ts'
import { refusedMethod, reply } from './ad-reply.ts'
import { adAddresses } from './addresses.ts'
import { decisionRequestReader, type VisitorParts } from './decision-request.ts'
import { decideRoute, vastRoute } from './decision-routes.ts'
import { DEMO_PLAYER, type DemoPageParts, demoPageRoute } from './demo-page.ts'
import { deviceReader } from './device.ts'
import { clickRoute, eventRoute, frameRoute } from './event-routes.ts'
import { TAG_SCRIPT } from './tag-script.ts'

export interface AdRouteParts extends Omit<VisitorParts, 'deviceOf'> {
  readonly house: HouseService
  readonly schemas: Schemas
  /** Origin under which pages reach the ad server. */
  readonly origin: string
  /** Products of a publisher, for its demo page; absent: there is none. */
  readonly demo?: DemoPageParts['productsOf']
}

/** Every address of the embedded ad server. */
export function adRoutes({ house, schemas, origin, demo, ...visitor }: AdRouteParts): Routes {
  const parts = {
    ...visitor,
    house,
    addresses: adAddresses(origin),
    deviceOf: deviceReader(),
    readRequest: decisionRequestReader(schemas),
  }
  return [
    [/^\/ads\/tag\.js$/, scriptRoute(TAG_SCRIPT)],
    [/^\/ads\/e\/([A-Za-z]{1,20})$/, eventRoute(parts)],
    [/^\/ads\/click$/, clickRoute(parts)],
    [/^\/ads\/frame$/, frameRoute(parts)],
    [/^\/ads\/([a-z0-9-]{1,64})\/decide$/, decideRoute(parts)],
    [/^\/ads\/([a-z0-9-]{1,64})\/vast$/, vastRoute(parts)],
    ...(demo
      ? [
          [/^\/ads\/demo-player\.js$/, scriptRoute(DEMO_PLAYER)] as const,
          [/^\/ads\/([a-z0-9-]{1,64})\/demo$/, demoPageRoute({ productsOf: demo, origin })] as const,
        ]
      : []),
  ]
}

function scriptRoute(body: string): Route {
  return async (request, response) => {
    if (refusedMethod(request, response, ['GET', 'HEAD'])) return
    reply(request, response, 200, { type: 'text/javascript; charset=utf-8', body, cached: true })
  }
}
