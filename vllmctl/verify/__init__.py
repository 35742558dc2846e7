"""After an answer: is it what the request asked for?"""
