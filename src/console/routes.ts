import type { IncomingMessage, ServerResponse } from 'node:http'
import { onDemand } from '../transports/http/on-demand.ts'
import { respond, respondJson, respondText } from '../transports/http/respond.ts'
import type { Route, Routes } from '../transports/http/server.ts'
import { answerRequest } from './answer-request.ts'
import type { Asset, Assets } from './assets.ts'
import { loadAssets } from './assets.ts'
import type { ConsoleParts } from './console-parts.ts'
import { compileRoutes } from './find-route.ts'
import { landingDocument, landingPage, wantsHtml } from './pages/landing.ts'
import { CONSOLE } from './route.ts'
import { writeAnswer } from './write-answer.ts'

/** The transport of the console: its files, and every page and act of the route table. */
export function consoleRoutes(given: Omit<ConsoleParts, 'routes' | 'assets'>): Routes {
  const assets = loadAssets(CONSOLE)
  const parts = { ...given, assets }
  // The pages, and the libraries that read uploaded files, are loaded at the first request of a person.
  const routes = onDemand(async () => compileRoutes((await import('./route-table.ts')).routeTable(given)))
  return [
    [/^\/$/, landingRoute(parts)],
    [/^\/console\/assets\/([a-z0-9.-]{1,80})$/, assetRoute(assets)],
    [/^\/console(?:\/.*)?$/, async (request, response) => answer({ ...parts, routes: await routes() }, request, response)],
  ]
}

async function answer(parts: ConsoleParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const isSecure = parts.peerOf(request).channel !== 'loopback'
  await writeAnswer(parts, response, await answerRequest(parts, request), isSecure)
}

/** `GET /`: a page for browsers, a document for programs. */
function landingRoute(parts: Omit<ConsoleParts, 'routes'>): Route {
  return async (request, response) => {
    if (wantsHtml(request)) {
      await writeAnswer(parts, response, { answer: await landingPage(parts.operator(), parts.askAs), call: undefined }, false)
      return
    }
    respondJson(response, 200, landingDocument(parts.operator()), { Vary: 'Accept' })
  }
}

/** A file never changes under its name. */
function assetRoute(assets: Assets): Route {
  return async (_request, response, [name = '']) => {
    const asset: Asset | undefined = assets.find(name)
    if (!asset) {
      respondText(response, 404, 'There is no such file.')
      return
    }
    const headers = { 'Cache-Control': 'public, max-age=31536000, immutable' }
    respond(response, 200, { type: asset.type, body: asset.body, headers })
  }
}
