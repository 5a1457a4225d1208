import type { Routes } from '../../src/transports/http/server.ts'

/** A route as somebody may add one: it compares every letter of a parameter with every other. */
export const routes: Routes = [
  [
    /^\/made-up\/([a-z]{1,20})$/,
    async (request, response) => {
      const text = new URL(request.url ?? '', 'http://made-up.example').searchParams.get('wanted') ?? ''
      let same = 0
      for (let at = 0; at < text.length; at++)
        for (let other = 0; other < text.length; other++) if (text.charCodeAt(at) === text.charCodeAt(other)) same += 1
      response.writeHead(200, { 'Content-Type': 'text/plain' }).end(String(same))
    },
  ],
]
